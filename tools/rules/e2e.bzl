"""Targets of the browser lane.

e2e/round_trip/BUILD.bazel:

    load("//tools/rules:e2e.bzl", "e2e_scenario")

    e2e_scenario(
        name = "round_trip",
        fixture = "//fixtures:round_trip",
        goldens = "//goldens:round_trip",
        deps = ["//scaffold"],
    )

fixtures/BUILD.bazel and goldens/BUILD.bazel, one filegroup for each folder in them:

    load("//tools/rules:e2e.bzl", "scenario_folders")

    scenario_folders()

A scenario gets its own files and the pinned Chromium, nothing else: a change in one
fixture runs one scenario again.
"""

load("@io_bazel_rules_go//go:def.bzl", "go_test")

_CHROMIUM = str(Label("//tools/chromium:current"))

_PLATFORM = [
    "@platforms//os:linux",
    "@platforms//cpu:x86_64",
]

def e2e_scenario(
        name,
        fixture = None,
        goldens = None,
        srcs = None,
        deps = [],
        data = [],
        env = {},
        size = "medium",
        tags = [],
        **kwargs):
    """One scenario: exactly one go_test of that name.

    It runs in its package's folder, so `../../fixtures/<name>` and `../../goldens/<name>`
    are where they are in the tree. KEYLANE_CHROMIUM is the browser's path in the
    runfiles, relative to TEST_SRCDIR.

    Args:
      name: the scenario's name, the same as the folder's.
      fixture: label, or list of labels, of its recorded sessions; None if it needs none.
      goldens: label, or list of labels, of its goldens; None if it has none.
      srcs: the test's files; default: all *_test.go of the package.
      deps: Go dependencies.
      data: further files that the scenario reads.
      env: further environment; may not set KEYLANE_MODE, which only a command may choose.
      size: as for any test; medium ends after five minutes.
      tags: further tags.
      **kwargs: anything else that go_test takes (timeout, embed, rundir ...).
    """
    if "KEYLANE_MODE" in env:
        fail("e2e_scenario {}: KEYLANE_MODE is chosen by --config=refresh or record, never by a target".format(name))
    go_test(
        name = name,
        size = size,
        srcs = srcs if srcs != None else native.glob(["*_test.go"]),
        # script.yml: what a scripted provider answers while the scenario is recorded
        data = _labels(fixture) + _labels(goldens) + data + [_CHROMIUM] + native.glob(["script.yml"], allow_empty = True),
        env = env | {"KEYLANE_CHROMIUM": "$(rlocationpath {})".format(_CHROMIUM)},
        # block-network: also where a user's own .bazelrc opens the sandbox.
        # cpu:2: a browser, a host and a test at once.
        tags = ["block-network", "browser", "cpu:2"] + tags,
        target_compatible_with = _PLATFORM,
        deps = deps,
        **kwargs
    )

def e2e_benchmark(name, tags = [], size = "large", **kwargs):
    """A scenario that measures: only `--config=perf` (tools/perf.targets) runs it.

    Args:
      name: as for e2e_scenario.
      tags: further tags.
      size: large ends after fifteen minutes.
      **kwargs: as for e2e_scenario.
    """
    e2e_scenario(
        name = name,
        size = size,
        tags = ["exclusive", "manual", "perf"] + tags,
        **kwargs
    )

def scenario_folders(awaited = []):
    """One filegroup for each folder of the package, named like it: //fixtures:round_trip.

    Args:
      awaited: names of scenarios whose folder is not there yet: their filegroup is empty,
        so that the scenario can run to be recorded, or to say what is missing.
    """
    folders = {name: [] for name in awaited}
    for path in native.glob(["*/**"], allow_empty = True):
        folders.setdefault(path.split("/")[0], []).append(path)
    for name, files in folders.items():
        native.filegroup(
            name = name,
            srcs = files,
            visibility = ["//visibility:public"],
        )

def _labels(value):
    if value == None:
        return []
    return value if type(value) == "list" else [value]
