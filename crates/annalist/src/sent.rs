//! What a spec that is sent to the service may say about this machine: who writes it does not sit here. Files, secrets and
//! networks are named by who starts the service; what a crawl's own spec has already, written here by hand, may stay as it is.

use std::path::{Component, Path, PathBuf};

use annalist_model::CanonicalUrl;
use annalist_model::spec::{Mistake, Network, RemoteRules, Spec, line_of_key, network_of};
use annalist_sources::Guard;
use anyhow::Result;

use crate::cli::AllowedArgs;
use crate::exit::BadConfiguration;

/// What was allowed when the service was started.
#[derive(Debug, Default)]
pub struct Allowed {
    /// Folders, as they were typed and as they are.
    folders: Vec<(PathBuf, PathBuf)>,
    secrets: Vec<Secret>,
    /// Those that are not public. `None`: any.
    networks: Option<Network>,
}

/// A secret, and the only one who is told it.
#[derive(Debug, PartialEq, Eq)]
struct Secret {
    /// `https://store.example`
    origin: String,
    place: Place,
}

/// Where a secret is.
#[derive(Debug, PartialEq, Eq)]
enum Place {
    File(String),
    Variable(String),
}

impl Allowed {
    /// `is_shared`: others than who started it send specs.
    pub fn of(args: &AllowedArgs, is_shared: bool) -> Result<Allowed> {
        let folder = |typed: &PathBuf| {
            let whole = std::path::absolute(typed).and_then(|whole| Ok((whole, typed.canonicalize()?)));
            whole.map_err(|e| BadConfiguration(format!("--files: {}: {e}", typed.display())))
        };
        let folders = args.files.iter().map(folder).collect::<Result<_, _>>()?;
        let secret = |typed: &String| {
            let expected =
                "expected ORIGIN=FILE or ORIGIN=VARIABLE, such as https://store.example=/etc/store-password";
            Secret::read(typed)
                .ok_or_else(|| BadConfiguration(format!("--secret: {expected}, found {typed:?}")))
        };
        let secrets = args.secret.iter().map(secret).collect::<Result<_, _>>()?;
        let network = |typed: &String| {
            let expected = "expected a network such as 10.0.0.0/8 or an address";
            network_of(typed).ok_or_else(|| BadConfiguration(format!("--allow: {expected}, found {typed:?}")))
        };
        let allow = args.allow.iter().map(network).collect::<Result<Vec<_>, _>>()?;
        let is_capped = is_shared || !allow.is_empty();
        Ok(Allowed { folders, secrets, networks: is_capped.then(|| Network { allow, ..Network::default() }) })
    }

    /// Whether a sent spec may name a file or folder. What lies elsewhere is not even looked for.
    pub fn may_name(&self, name: &str) -> Result<PathBuf, String> {
        let elsewhere = || {
            format!(
                "{name}: a spec that is sent names only what is in folders that the service was started with: --files DIR"
            )
        };
        let path = Path::new(name);
        let is_plain = path.is_absolute() && !path.components().any(|part| part == Component::ParentDir);
        let within = |path: &Path| self.folders.iter().any(|(_, folder)| path.starts_with(folder));
        let is_within = within(path) || self.folders.iter().any(|(typed, _)| path.starts_with(typed));
        if !is_plain || !is_within {
            return Err(elsewhere());
        }
        // A link in the folder may lead out of it.
        let real = path.canonicalize().map_err(|e| format!("{name}: {e}"))?;
        if within(&real) { Ok(real) } else { Err(elsewhere()) }
    }

    /// What a sent spec says that it must not; `kept` is the spec of the crawl that it is to change.
    pub fn mistakes(&self, text: &str, spec: &Spec, kept: Option<&Spec>) -> Vec<Mistake> {
        let mut found = self.names(spec, kept);
        found.extend(self.secret(spec, kept));
        found.extend(self.network(spec, kept));
        let placed = |(key, message): (&str, String)| Mistake {
            line: line_of_key(text, key),
            key: key.to_owned(),
            message,
        };
        found.into_iter().map(placed).collect()
    }

    fn names(&self, spec: &Spec, kept: Option<&Spec>) -> Vec<(&'static str, String)> {
        let known = kept.map(named).unwrap_or_default();
        let new = named(spec).into_iter().filter(|named| !known.contains(named));
        let is_remote = |key: &str, name: &str| {
            let is_web = name.starts_with("http://") || name.starts_with("https://");
            key.starts_with("extract.") && is_web && CanonicalUrl::parse(name).is_ok()
        };
        new.filter(|(key, name)| !is_remote(key, name))
            .filter_map(|(key, name)| Some((key, self.may_name(name).err()?)))
            .collect()
    }

    fn secret(&self, spec: &Spec, kept: Option<&Spec>) -> Option<(&'static str, String)> {
        let remote = spec.knowledge.remote.as_ref()?;
        let (key, _) = place_of(remote)?;
        let before = kept.and_then(|kept| kept.knowledge.remote.as_ref());
        if !before.is_some_and(|before| is_same(before, remote)) && !self.gives(remote) {
            let why = "a spec that is sent uses only secrets that the service was started with, and only for the store \
                       they belong to: --secret ORIGIN=FILE";
            return Some((key, why.to_owned()));
        }
        // Whoever says where a name leads says who is told the secret.
        let usual = Network::default();
        let known = kept.map_or(&usual, |kept| &kept.network);
        let leads = |network: &Network, name: &str| {
            let mut all = network.resolve.iter();
            all.find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, address)| *address)
        };
        let mut names = addresses(remote).filter_map(|address| CanonicalUrl::parse(address).ok());
        let why = |what: &str| format!("{what} stays as it was where [knowledge.remote] has a secret");
        if names.any(|url| leads(&spec.network, url.host_name()) != leads(known, url.host_name())) {
            return Some(("network.resolve", why("where the store's name leads")));
        }
        (spec.network.dns_servers != known.dns_servers)
            .then(|| ("network.dns_servers", why("who is asked for names")))
    }

    /// Whether the operator gave the secret for the store that is to be told it.
    fn gives(&self, remote: &RemoteRules) -> bool {
        let Some((_, place)) = place_of(remote) else { return true };
        let mut stores = addresses(remote);
        stores.all(|address| {
            let Ok(url) = CanonicalUrl::parse(address) else { return false };
            self.secrets.iter().any(|secret| secret.place == place && secret.origin == url.host())
        })
    }

    fn network(&self, spec: &Spec, kept: Option<&Spec>) -> Vec<(&'static str, String)> {
        let Some(allowed) = &self.networks else { return Vec::new() };
        let usual = Network::default();
        let known = kept.map_or(&usual, |kept| &kept.network);
        let how = "which was not allowed when the service was started: --allow CIDR";
        let networks = spec.network.allow.iter().filter(|network| {
            !known.allow.contains(network) && !allowed.allow.iter().any(|whole| whole.contains(*network))
        });
        let networks = networks.map(|network| ("network.allow", format!("{network} is a network {how}")));
        let guard = Guard::new(&allowed.allow);
        let servers = spec.network.dns_servers.iter().filter(|server| !known.dns_servers.contains(server));
        let servers = servers.filter_map(|server| guard.vet(server.ip()).err());
        let servers = servers.map(|refused| {
            ("network.dns_servers", format!("{} is in a network ({}) {how}", refused.address, refused.kind))
        });
        networks.chain(servers).collect()
    }
}

impl Secret {
    fn read(typed: &str) -> Option<Secret> {
        let (origin, place) = typed.split_once('=')?;
        let origin = CanonicalUrl::parse(origin).ok()?.host().to_owned();
        let place = match place {
            "" => return None,
            path if path.starts_with('/') => Place::File(path.to_owned()),
            name => Place::Variable(name.to_owned()),
        };
        Some(Secret { origin, place })
    }
}

/// What a spec names on this machine, with the keys.
fn named(spec: &Spec) -> Vec<(&'static str, &str)> {
    let catalogue = spec.catalogue.iter().map(|name| ("catalogue", name));
    let model = spec.study.model.iter().map(|name| ("study.model", name));
    let archives = spec.extract.iter().flat_map(|extract| &extract.archives);
    let archives = archives.map(|name| ("extract.archives", name));
    let warcs = spec.extract.iter().flat_map(|extract| &extract.warcs).map(|name| ("extract.warcs", name));
    let all = catalogue.chain(model).chain(archives).chain(warcs);
    all.map(|(key, name)| (key, name.as_str())).collect()
}

fn place_of(remote: &RemoteRules) -> Option<(&'static str, Place)> {
    let file = remote.secret_file.clone().map(|file| ("knowledge.remote.secret_file", Place::File(file)));
    let variable =
        || remote.secret_env.clone().map(|name| ("knowledge.remote.secret_env", Place::Variable(name)));
    file.or_else(variable)
}

fn addresses(remote: &RemoteRules) -> impl Iterator<Item = &String> {
    remote.update.iter().chain(&remote.graph_store)
}

/// Whether the same one is told the same secret.
fn is_same(before: &RemoteRules, remote: &RemoteRules) -> bool {
    let whom = |remote: &RemoteRules| {
        let RemoteRules { update, graph_store, user, secret_env, secret_file, .. } = remote.clone();
        (update, graph_store, user, secret_env, secret_file)
    };
    whom(before) == whom(remote)
}

#[cfg(test)]
mod tests {
    use annalist_model::spec::Spec;

    use super::Allowed;
    use crate::cli::AllowedArgs;
    use crate::spec_file::examine_text;

    fn allowed(files: &[&std::path::Path], secret: &[&str], allow: &[&str], is_shared: bool) -> Allowed {
        let args = AllowedArgs {
            files: files.iter().map(|path| path.to_path_buf()).collect(),
            secret: secret.iter().map(|text| (*text).to_owned()).collect(),
            allow: allow.iter().map(|text| (*text).to_owned()).collect(),
        };
        Allowed::of(&args, is_shared).unwrap()
    }

    fn text(more: &str) -> String {
        format!("name = \"a\"\ncontact = \"https://me.test/\"\n{more}\n[[seed]]\nurl = \"http://a.test/\"\n")
    }

    /// As somebody at this machine would write it.
    fn kept(more: &str) -> Spec {
        let parsed = annalist_model::spec::parse(&text(more), &|_| Ok(String::new()));
        parsed.spec.unwrap_or_else(|| panic!("{:?}", parsed.mistakes))
    }

    /// The keys that are refused, with their lines.
    fn refused(allowed: &Allowed, more: &str, kept: Option<&Spec>) -> Vec<(String, usize)> {
        let examined = examine_text(&text(more), allowed, kept);
        assert_eq!(examined.spec.is_some(), examined.mistakes.is_empty());
        examined.mistakes.into_iter().map(|mistake| (mistake.key, mistake.line)).collect()
    }

    #[test]
    fn a_spec_that_is_sent_names_nothing_of_this_machine() {
        let nothing = Allowed::default();
        for (more, key, line) in [
            ("catalogue = [\"/etc\"]", "catalogue", 3),
            ("[study]\nmodel = \"/etc\"", "study.model", 4),
            ("[extract]\narchives = [\"/etc\"]", "extract.archives", 4),
            ("[extract]\narchives = [\"https://cdx.test/\"]\nwarcs = [\"/etc\"]", "extract.warcs", 5),
            ("[extract]\narchives = [\"file:///etc\"]", "extract.archives", 4),
            ("[topic]\nreferences = [\"/etc/hostname\"]", "topic.references", 4),
            (
                "[knowledge.remote]\nupdate = \"http://b.test/\"\nsecret_file = \"/etc/x\"",
                "knowledge.remote.secret_file",
                5,
            ),
            (
                "[knowledge.remote]\nupdate = \"http://b.test/\"\nsecret_env = \"HOME\"",
                "knowledge.remote.secret_env",
                5,
            ),
        ] {
            assert_eq!(refused(&nothing, more, None), [(key.to_owned(), line)], "{more}");
            // It stays where somebody at this machine wrote it, and nothing else comes beside it.
            assert_eq!(refused(&nothing, more, Some(&kept(more))), [], "{more}");
            let other = more.replace("etc", "usr").replace("HOME", "PATH");
            assert_eq!(refused(&nothing, &other, Some(&kept(more))), [(key.to_owned(), line)], "{other}");
        }
        assert_eq!(refused(&nothing, "[extract]\narchives = [\"https://cdx.test/\"]", None), []);
        assert_eq!(refused(&nothing, "[knowledge.remote]\nupdate = \"http://b.test/\"", None), []);
    }

    #[test]
    fn nobody_else_is_told_a_secret_that_is_kept() {
        let nothing = Allowed::default();
        let own =
            "[knowledge.remote]\nupdate = \"http://store.test/u\"\nuser = \"me\"\nsecret_env = \"HOME\"\n";
        let kept = kept(own);
        let keys = |more: &str| {
            let found = refused(&nothing, more, Some(&kept));
            found.into_iter().map(|(key, _)| key).collect::<Vec<_>>()
        };
        assert!(keys(own).is_empty());
        assert!(keys(&format!("{own}batch = 5\n")).is_empty());
        let secret = ["knowledge.remote.secret_env"];
        assert_eq!(keys(&own.replace("store.test", "evil.test")), secret);
        assert_eq!(keys(&own.replace("/u", "/other")), secret);
        assert_eq!(keys(&own.replace("user = \"me\"\n", "")), secret);
        assert_eq!(keys(&format!("{own}graph_store = \"http://evil.test/\"\n")), secret);
        // The name is the same, and leads elsewhere.
        assert_eq!(
            keys(&format!("{own}[network.resolve]\n\"Store.test\" = \"192.0.2.1:80\"")),
            ["network.resolve"]
        );
        assert_eq!(keys(&format!("{own}[network]\ndns_servers = [\"192.0.2.1\"]")), ["network.dns_servers"]);
        assert!(keys(&format!("{own}[network.resolve]\n\"other.test\" = \"192.0.2.1:80\"")).is_empty());
    }

    #[test]
    fn a_secret_that_was_allowed_is_for_its_store_only() {
        let given = ["https://Store.test:443/=/etc/x", "http://own.test:3030=STORE"];
        let allowed = allowed(&[], &given, &[], false);
        let is_good = |update: &str, secret: &str| {
            let more = format!("[knowledge.remote]\nupdate = \"{update}\"\n{secret}");
            refused(&allowed, &more, None).is_empty()
        };
        assert!(is_good("https://store.test/update", "secret_file = \"/etc/x\""));
        assert!(is_good("http://own.test:3030/d", "secret_env = \"STORE\""));
        assert!(!is_good("http://store.test/update", "secret_file = \"/etc/x\""), "not without TLS");
        assert!(!is_good("https://store.test/update", "secret_file = \"/etc/y\""));
        assert!(!is_good("https://store.test/update", "secret_env = \"STORE\""));
        assert!(!is_good("https://store.test.evil.test/", "secret_file = \"/etc/x\""));
        assert!(!is_good(
            "https://store.test/update",
            "secret_file = \"/etc/x\"\n[network.resolve]\n\"store.test\" = \"192.0.2.1:80\""
        ));
        for wrong in ["", "x", "https://a.test", "https://a.test=", "nothing=/etc/x"] {
            let args = AllowedArgs { secret: vec![wrong.to_owned()], ..AllowedArgs::default() };
            assert!(
                Allowed::of(&args, false).unwrap_err().to_string().contains("--secret: expected"),
                "{wrong}"
            );
        }
    }

    #[test]
    fn files_are_those_of_the_folders_that_were_allowed() {
        let dir = tempfile::tempdir().unwrap();
        let (inside, outside) = (dir.path().join("warcs"), dir.path().join("other"));
        std::fs::create_dir_all(inside.join("2013")).unwrap();
        std::fs::create_dir_all(&outside).unwrap();
        std::fs::write(inside.join("page.html"), "<p>about").unwrap();
        std::os::unix::fs::symlink(&outside, inside.join("link")).unwrap();
        let allowed = allowed(&[&inside], &[], &[], false);
        let is_good = |path: &std::path::Path| {
            refused(&allowed, &format!("[extract]\narchives = [\"{}\"]", path.display()), None).is_empty()
        };
        assert!(is_good(&inside) && is_good(&inside.join("2013")) && is_good(&inside.join("./2013/")));
        for bad in
            [outside.clone(), inside.join("link"), inside.join("../other"), inside.join("2013/../../other")]
        {
            assert!(!is_good(&bad), "{bad:?}");
        }
        assert!(!is_good(std::path::Path::new("warcs")), "from nowhere in particular");
        // Whether there is something elsewhere is not told.
        let told = |path: &str| allowed.may_name(path).unwrap_err().replace(path, "");
        assert_eq!(told("/etc/passwd"), told("/etc/no-such-file"));
        let page = inside.join("page.html");
        assert!(
            refused(&allowed, &format!("[topic]\nreferences = [\"{}\"]", page.display()), None).is_empty()
        );
    }

    #[test]
    fn networks_that_are_not_public_are_the_operators_to_allow() {
        let own = "[network]\nallow = [\"10.1.0.0/16\"]";
        assert!(
            refused(&allowed(&[], &[], &[], false), own, None).is_empty(),
            "who starts it writes the specs"
        );
        let shared = allowed(&[], &[], &[], true);
        assert_eq!(refused(&shared, own, None), [("network.allow".to_owned(), 4)]);
        assert!(refused(&shared, own, Some(&kept(own))).is_empty());
        let more = "[network]\nallow = [\"10.1.0.0/16\", \"127.0.0.0/8\"]";
        assert_eq!(refused(&shared, more, Some(&kept(own))).len(), 1);
        let some = allowed(&[], &[], &["10.0.0.0/8"], true);
        assert!(refused(&some, own, None).is_empty());
        assert_eq!(refused(&some, "[network]\nallow = [\"0.0.0.0/0\"]", None).len(), 1);
        assert_eq!(
            refused(&allowed(&[], &[], &["10.0.0.0/8"], false), more, None).len(),
            1,
            "once something is said"
        );
        for (server, is_good) in [("9.9.9.9", true), ("127.0.0.1:5353", false), ("10.0.0.1", true)] {
            let found = refused(&some, &format!("[network]\ndns_servers = [\"{server}\"]"), None);
            assert_eq!(found.is_empty(), is_good, "{server}: {found:?}");
        }
    }
}
