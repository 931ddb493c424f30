"""The pinned Go SDK, from the Go module golang.org/toolchain.

The machine's go command only downloads it, so the Go module proxy is all that is
needed. Everything is then built with the downloaded SDK, whatever the machine has.

    go_sdk_module(name = "go_sdk_pinned", version = "1.26.8", sum = "h1:...")

and `go_sdk.wrap(root_file = "@go_sdk_pinned//:ROOT")` make it the toolchain. To
move to another version: change `version`, build, and copy the sum from the error,
after comparing it with the checksum database's (`go mod download -json MODULE` with
GOSUMDB on does that comparison).
"""

def _go_sdk_module_impl(rctx):
    go = rctx.which("go") or fail("gosdk: there is no `go` on the PATH; one (of any version from 1.21) is needed to download the pinned SDK")
    module = "golang.org/toolchain@v0.0.1-go{}.{}-{}".format(rctx.attr.version, rctx.attr.goos, rctx.attr.goarch)
    rctx.file("download/go.mod", "module download\n")
    rctx.report_progress("downloading {}".format(module))
    res = rctx.execute(
        [go, "mod", "download", "-json", module],
        working_directory = "download",
        timeout = 900,
        environment = {"GOFLAGS": "-mod=mod", "GOWORK": "off", "GOTOOLCHAIN": "local"},
    )
    if res.return_code != 0:
        fail("gosdk: go mod download {}: {}{}".format(module, res.stdout, res.stderr))
    info = json.decode(res.stdout)
    if info["Sum"] != rctx.attr.sum:
        fail("gosdk: {}: wrong hash\n  pinned: {}\n  got:    {}".format(module, rctx.attr.sum, info["Sum"]))

    # The module cache's copy is read-only and has no exec bits: take the zip.
    rctx.extract(info["Zip"], stripPrefix = module)
    rctx.delete("download")

    # Toolchain modules hold go.mod files under the name _go.mod; BUILD files of the
    # sources would split the SDK into Bazel packages.
    res = rctx.execute(["sh", "-ec", """
chmod a+x bin/* pkg/tool/*/*
find . -name _go.mod | while read -r f; do mv "$f" "${f%_go.mod}go.mod"; done
find . \\( -name BUILD -o -name BUILD.bazel \\) -type f -delete
"""])
    if res.return_code != 0:
        fail("gosdk: unpacking {}: {}".format(module, res.stderr))
    rctx.file("ROOT")
    rctx.file("BUILD.bazel", 'exports_files(["ROOT"])\n')

go_sdk_module = repository_rule(
    doc = "A Go SDK as a repository: bin/, src/, pkg/ and the marker file ROOT.",
    implementation = _go_sdk_module_impl,
    attrs = {
        "version": attr.string(mandatory = True, doc = "As in `go version`, without the letters go."),
        "goos": attr.string(default = "linux"),
        "goarch": attr.string(default = "amd64"),
        "sum": attr.string(mandatory = True, doc = "The h1: sum of the module's zip, as go.sum writes it."),
    },
    environ = ["GOPROXY", "GOSUMDB", "GONOSUMDB", "GOMODCACHE"],
)
