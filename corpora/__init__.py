"""The embedded sample corpus and the manifests of known corpora: data, no code."""
