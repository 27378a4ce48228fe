"""Files that are secrets by their name, whatever is in them."""
# ruff: noqa: E501 (tables of patterns)

import re

_NAMES = re.compile(
    r"\.env(?:rc|[._-].*)?|.*\.env|[._]?netrc|id_(?:rsa|dsa|ecdsa|ed25519|xmss)[\w.-]*|id_[a-z0-9]+|.*\.(?:pem|key|p12|pfx|p8|jks|keystore|kdbx?|ovpn|ppk|asc\.key|"
    r"pgpass|agekey|tfstate|tfvars|keytab|mobileprovision|cred|credentials|htpasswd)|terraform\.tfstate.*|kube_?config.*|.*\.kubeconfig|"
    r"\.(?:npmrc|pypirc|git-credentials|htpasswd|pgpass|my\.cnf|dockercfg|s3cfg|boto|vault-token|yarnrc\.yml|terraformrc)|\.?htpasswd|"
    r"\.?secrets?(?:\.(?:ya?ml|json|toml|ini|env|txt|properties|enc|gpg|prod|production|dev|staging|local))*|[\w-]*[_.-]secrets?\.(?:ya?ml|json|toml|ini|env|txt|properties)|credentials?[\w.-]*\.(?:json|csv|ya?ml|xml|ini|txt)|credentials|"
    r"(?:[\w-]*[_-])?service[_-]?account[\w-]*\.json|application_default_credentials\.json|client_secret[\w.-]*\.json|wallet\.(?:dat|json)|"
    r"(?:.*[ _-])?(?:passwords?|паролі|пароли)[ _(-]{0,2}[\d-]*\)?\.(?!png|jpe?g|svg)\w+|(?:.*[ _-])?(?:recovery|backup)[ _-]?codes?\.\w+|"
    r"(?:.*[ _-])?(?:api[ _-]?keys?|token|bitwarden[ _-]export.*|firebase-adminsdk-.*)\.(?:json|txt|csv|ya?ml)|UTC--\d{4}-.*|"
    r"pgpass\.conf|\.?vault[_-]pass(?:word)?(?:\.txt)?|\.dockerconfigjson|secring\.gpg|.*\.1pux|\.\w{1,20}_history|[\w-]*credentials|shadow|web-token|keys\.json|master\.key",
    re.I,
)
_PATHS = re.compile(
    r"(?:^|/)(?:\.?kube/config|\.aws/(?:credentials|config)|\.docker/config\.json|\.ssh/(?!.*\.pub$|known_hosts|config$).+|\.gnupg/.+|\.azure/.+|\.config/gcloud/.+)$",
    re.I,
)
_COPY = re.compile(r"~$|\.(?:bak|old|orig|save|swp)$|(?<=\.(?:pem|key|env))\.txt$", re.I)
_SHARED = re.compile(
    r".*(?:example|sample|template|dist|schema|\.md|\.pub|\.py|\.js|\.ts|\.go|\.html)$", re.I
)


def secret_by_name(path: str) -> bool:
    """`.env`, `id_ed25519`, `deploy.pem`; not `.env.example` or `id_rsa.pub`."""
    name = path.rpartition("/")[2]
    return _PATHS.search(path) is not None or any(
        _NAMES.fullmatch(each) and not _SHARED.fullmatch(each) for each in {name, _COPY.sub("", name)}
    )
