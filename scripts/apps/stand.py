"""MariaDB, php-fpm and nginx of our own: files in one temporary folder, a port on loopback for each site.

Nothing of the system's is used but programs: no service, no configuration below /etc but PHP's list of extensions, no port
below 1024. All is stopped by process id and removed by `stop`. What the servers serve is in wordpress.py and mediawiki.py.
"""

import glob
import os
import shutil
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path


class Failed(Exception):
    """Says what did not work, with the end of what the program wrote."""


def run(command, **more):
    """Runs a command to its end; what it wrote is in the error when it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, **more)
    if done.returncode:
        wrote = (done.stdout + done.stderr)[-2000:]
        raise Failed(f"{Path(str(command[0])).name} ended with {done.returncode}:\n{wrote}")
    return done.stdout


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Stand:
    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="annalist-apps-"))
        self.processes = []  # (name, process), in the order they were started
        self.sites = {}  # host name -> port
        # Servers need no rights: root lends them those of www-data, which Debian always has.
        self.as_user = []
        if os.geteuid() == 0:
            self.as_user = ["setpriv", "--reuid=www-data", "--regid=www-data", "--clear-groups"]
            shutil.chown(self.folder, "www-data", "www-data")

    def path(self, name):
        return self.folder / name

    def make_folder(self, name):
        folder = self.path(name)
        folder.mkdir(parents=True, exist_ok=True)
        if self.as_user:
            shutil.chown(folder, "www-data", "www-data")
        return folder

    def run(self, command, **more):
        environment = {**os.environ, "HOME": str(self.folder), **more.pop("env", {})}
        return run([*self.as_user, *command], env=environment, cwd=self.folder, **more)

    def start(self, name, command, env=None):
        # A session of its own, so that Ctrl-C is ours to act on; and should we be killed, the server ends with us.
        lent = self.as_user or ["setpriv"]
        with open(self.path(f"{name}.log"), "ab") as log:
            process = subprocess.Popen(
                [str(word) for word in [*lent, "--pdeathsig=TERM", *command]],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True,
                cwd=self.folder, env={**os.environ, "HOME": str(self.folder), **(env or {})},
            )
        self.processes.append((name, process))

    def wait_for(self, what, works):
        until = time.monotonic() + 60
        while not works():
            for name, process in self.processes:
                if process.poll() is not None:
                    wrote = self.path(f"{name}.log").read_text(errors="replace")[-2000:]
                    raise Failed(f"{name} ended with {process.returncode}:\n{wrote}")
            if time.monotonic() > until:
                raise Failed(f"{what} did not come up in a minute")
            time.sleep(0.1)

    def stop(self):
        for name, process in reversed(self.processes):
            process.terminate()
            try:
                process.wait(timeout=30)
            except subprocess.TimeoutExpired:
                print(f"test-apps: {name} does not end, killing process {process.pid}", flush=True)
                process.kill()
                process.wait()
        self.processes.clear()
        shutil.rmtree(self.folder, ignore_errors=True)

    # --- the servers ---

    @property
    def database_socket(self):
        return self.path("mariadb.sock")

    def start_database(self):
        folder = self.make_folder("mariadb")
        temporary = self.make_folder("tmp")  # of our own: two stands at once would trip over each other's tables in /tmp
        self.run(["mariadb-install-db", "--no-defaults", f"--datadir={folder}", f"--tmpdir={temporary}", "--skip-test-db",
                  "--auth-root-authentication-method=normal"])
        self.start("mariadbd", [
            shutil.which("mariadbd", path="/usr/sbin:/usr/bin"), "--no-defaults", f"--datadir={folder}",
            f"--socket={self.database_socket}", f"--pid-file={self.path('mariadb.pid')}", f"--tmpdir={temporary}",
            "--skip-networking", "--innodb-flush-log-at-trx-commit=0", "--character-set-server=utf8mb4",
        ])
        self.wait_for("MariaDB", lambda: self.database_socket.exists())

    def sql(self, statement, database=""):
        """The rows that a statement gives, each a list of texts."""
        wrote = self.run(["mariadb", "--no-defaults", f"--socket={self.database_socket}", "--user=root", "--batch", "--raw",
                          "--skip-column-names", "--default-character-set=utf8mb4", database], input=statement)
        return [line.split("\t") for line in wrote.splitlines()]

    def start_php(self, env):
        programs = sorted(glob.glob("/usr/sbin/php-fpm*"))
        if not programs:
            raise Failed("there is no php-fpm; scripts/setup apps installs it")
        environment = "\n".join(f"env[{name}] = {value}" for name, value in env.items())
        configuration = self.path("php-fpm.conf")
        configuration.write_text(f"""
[global]
pid = {self.path('php-fpm.pid')}
error_log = {self.path('php-fpm-errors.log')}
[www]
listen = {self.path('php.sock')}
pm = static
pm.max_children = 3
catch_workers_output = yes
php_admin_value[memory_limit] = 256M
php_admin_value[opcache.revalidate_freq] = 0
php_admin_value[upload_tmp_dir] = {self.make_folder('tmp')}
php_admin_value[sys_temp_dir] = {self.path('tmp')}
{environment}
""")
        self.start("php-fpm", [programs[-1], "--nodaemonize", "--fpm-config", configuration])
        self.wait_for("php-fpm", lambda: self.path("php.sock").exists())

    def start_web(self, servers):
        """`servers`: host name -> (document root, further lines of its `server` block)."""
        blocks = []
        for host, (root, lines) in servers.items():
            self.sites[host] = free_port()
            blocks.append(f"""
  server {{
    listen 127.0.0.1:{self.sites[host]};
    server_name {host};
    root {root};
    index index.php;
    access_log {self.path(host + '.access')} requests;
    location ~ /\\.ht {{ deny all; }}
{lines}
    location ~ \\.php(/|$) {{
      fastcgi_split_path_info ^(.+?\\.php)(/.*)$;
      if (!-f $document_root$fastcgi_script_name) {{ return 404; }}
      include /etc/nginx/fastcgi_params;
      fastcgi_param SCRIPT_FILENAME $document_root$fastcgi_script_name;
      fastcgi_param PATH_INFO $fastcgi_path_info;
      fastcgi_param SERVER_NAME {host};
      fastcgi_param SERVER_PORT 80;
      fastcgi_pass unix:{self.path('php.sock')};
    }}
  }}""")
        temporary = "\n".join(f"  {what}_temp_path {self.make_folder('tmp')}/{what};"
                              for what in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
        configuration = self.path("nginx.conf")
        configuration.write_text(f"""
worker_processes 1;
pid {self.path('nginx.pid')};
error_log {self.path('nginx-errors.log')};
events {{ worker_connections 256; }}
http {{
  include /etc/nginx/mime.types;
  default_type application/octet-stream;
  log_format requests '$status $request_method $request_uri';
  absolute_redirect off;
  fastcgi_buffers 32 16k;
  fastcgi_buffer_size 32k;
{temporary}
{''.join(blocks)}
}}
""")
        self.start("nginx", [shutil.which("nginx", path="/usr/sbin:/usr/bin"), "-e", self.path("nginx-errors.log"),
                             "-c", configuration, "-g", "daemon off;"])
        self.wait_for("nginx", lambda: self.path("nginx.pid").exists())

    # --- asking and counting ---

    def get(self, host, address):
        """(status, headers as a text, body) of one address of a site, redirects not followed."""
        asked = urllib.request.Request(f"http://127.0.0.1:{self.sites[host]}{address}", headers={"Host": host})
        try:
            with urllib.request.build_opener(NoRedirect).open(asked, timeout=60) as answer:
                return answer.status, str(answer.headers), answer.read()
        except urllib.error.HTTPError as error:
            return error.code, str(error.headers), error.read()

    def requests(self, host):
        """What nginx has answered so far for a site: lines of status, method, address."""
        return self.path(host + ".access").read_text(errors="replace").splitlines()


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None
