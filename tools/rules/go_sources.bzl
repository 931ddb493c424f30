"""Go sources as data, for tests that read the code.

    go_sources(name = "sources", deps = ["//host/cmd/keylane", "//scaffold:scaffold_test"])

holds, as runfiles in their places, every Go file of this repository that is reachable
from `deps` through Go's deps and embed.
"""

_SourcesInfo = provider(
    doc = "Go files of a target and of what it reaches.",
    fields = {"files": "depset of File"},
)

def _collect_impl(target, ctx):
    direct, below = [], []
    if not target.label.workspace_name and ctx.rule.kind.startswith("go_"):
        direct = [f for src in getattr(ctx.rule.attr, "srcs", []) for f in src.files.to_list() if f.extension == "go" and f.is_source]
    for attr in ("deps", "embed", "actual", "tests"):
        value = getattr(ctx.rule.attr, attr, None) or []
        for dep in value if type(value) == "list" else [value]:
            if type(dep) == "Target" and _SourcesInfo in dep:
                below.append(dep[_SourcesInfo].files)
    return [_SourcesInfo(files = depset(direct, transitive = below))]

_collect = aspect(
    implementation = _collect_impl,
    attr_aspects = ["deps", "embed", "actual", "tests"],
)

def _go_sources_impl(ctx):
    files = depset(transitive = [dep[_SourcesInfo].files for dep in ctx.attr.deps])
    return [DefaultInfo(files = files, runfiles = ctx.runfiles(transitive_files = files))]

go_sources = rule(
    doc = "All Go files of this repository that deps reach.",
    implementation = _go_sources_impl,
    attrs = {"deps": attr.label_list(mandatory = True, aspects = [_collect])},
)
