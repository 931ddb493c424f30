package bash

import "strings"

// environment is what a command may see of the host's environment: not the host's own settings, not the keys it uses, and PWD is where
// the command starts.
func environment(host []string, cwd string) []string {
	kept := make([]string, 0, len(host)+1)
	for _, entry := range host {
		name, _, _ := strings.Cut(entry, "=")
		upper := strings.ToUpper(name)
		if strings.HasPrefix(upper, "KEYLANE_") || strings.HasSuffix(upper, "_API_KEY") || upper == "PWD" || upper == "OLDPWD" {
			continue
		}
		kept = append(kept, entry)
	}
	return append(kept, "PWD="+cwd)
}
