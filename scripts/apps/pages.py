"""Pages of the stand as files, for a look at what themes and skins make of the same content."""


def save(stand, host, samples, folder):
    folder.mkdir(parents=True, exist_ok=True)
    for name, address in samples.items():
        status, headers, body = stand.get(host, address)
        (folder / f"{name}.html").write_bytes(body)
        (folder / f"{name}.headers").write_text(f"http://{host}{address}\n{status}\n{headers}")
