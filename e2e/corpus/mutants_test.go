package corpus_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"keylane/scaffold"
)

// one is a log in the flat shapes of its time.
var one = []string{"projected/apps__web__cordis-tool-round__session.jsonl"}

// A log that the page shows in part, or not at all, would be seen.
func TestALogThatDoesNotOpenWouldBeSeen(t *testing.T) {
	scaffold.OnlyReplay(t)
	t.Run("a page that knows only today's shapes", func(t *testing.T) {
		mutant := walk(t, one, &figures{})
		mutant.Edits = []scaffold.Edit{{File: "shared/keylane.js", Find: `"message"in [\w$]+\.data\?`, Put: `!0?`}}
		scaffold.WantSeen(t, scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) }), "the page shows the prompts")
	})
	t.Run("a file that is spoiled", func(t *testing.T) {
		mutant := walk(t, []string{"enveloped/apps__web__approval-composer__session.jsonl"}, &figures{})
		sow := mutant.Prepare
		mutant.Prepare = func(folders scaffold.Folders) error {
			if err := sow(folders); err != nil {
				return err
			}
			files, err := filepath.Glob(filepath.Join(folders.Sessions, "*", "enveloped-0", "session.jsonl.zstd"))
			if err != nil || len(files) != 1 {
				return errors.Join(err, errors.New("there is no such log"))
			}
			return os.WriteFile(files[0], []byte("no log"), 0o600)
		}
		scaffold.WantSeen(t, scaffold.Trial(t, func(t scaffold.T) { scaffold.Run(t, mutant) }), "could not be loaded")
	})
}
