package bash

import (
	"crypto/rand"
	"encoding/hex"
	"strings"
)

// markVariable holds what makes the processes of one call known.
const markVariable = "KEYLANE_COMMAND_ID"

// newMark is a mark that no other call has. It does not come from the host's clock: with a pinned one, two hosts on one machine would
// take the processes of each other for their own.
func newMark() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, by its contract
	return hex.EncodeToString(b[:])
}

// environment is what a command may see of the host's environment: not the host's own settings, not the keys it uses, and PWD is where
// the command starts. Added are entries of the call's own. The address of the page is not among them: there is no login, so a command
// that knew it could approve its own next call.
func environment(host []string, cwd string, added ...string) []string {
	kept := make([]string, 0, len(host)+1+len(added))
	for _, entry := range host {
		name, _, _ := strings.Cut(entry, "=")
		upper := strings.ToUpper(name)
		if strings.HasPrefix(upper, "KEYLANE_") || strings.HasSuffix(upper, "_API_KEY") || upper == "PWD" || upper == "OLDPWD" {
			continue
		}
		kept = append(kept, entry)
	}
	return append(append(kept, "PWD="+cwd), added...)
}
