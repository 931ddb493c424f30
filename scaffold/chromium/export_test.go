package chromium

// For the tests of what is left behind.
var (
	Members      = members
	RemoveFolder = removeFolder
)
