package golden

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// AccountFormat is the version of an account that this package writes and reads.
const AccountFormat = 1

// An Account says what a run captured and what it was compared with. A run leaves it beside its captures, so that a command which takes
// them over later can tell whose they are, and whether they still answer the goldens that are in the tree by then.
type Account struct {
	Format   int    `json:"format"`   // always AccountFormat
	Scenario string `json:"scenario"` // the golden directory's name
	// Complete says that every state of the scenario had its chance: the run was not narrowed to some tests. Only then a golden that
	// was not captured is one that no state captures.
	Complete bool `json:"complete"`
	// Broken are the failures of the scenario that are not about goldens. With any, its captures are not worth accepting.
	Broken []string `json:"broken"`
	// Committed are the goldens that lay in the directory at the end of the run, and Captured those that the run captured: file names,
	// and the SHA-256 of their text in hexadecimal digits.
	Committed map[string]string `json:"committed"`
	Captured  map[string]string `json:"captured"`
}

// Sum is how an account names a golden's text.
func Sum(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

// Account is the account of everything compared so far; Complete and Broken are the caller's to say.
func (d *Directory) Account(scenario string) (Account, error) {
	account := Account{Format: AccountFormat, Scenario: scenario, Broken: []string{}, Committed: map[string]string{}, Captured: map[string]string{}}
	for file, text := range d.captured {
		account.Captured[file] = Sum([]byte(text))
	}
	entries, err := os.ReadDir(d.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return account, nil
	}
	if err != nil {
		return account, fmt.Errorf("golden: reading the goldens for the account: %w", err)
	}
	for _, entry := range entries {
		if entry.IsDir() || !IsGolden(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(d.Path, entry.Name()))
		if err != nil {
			return account, fmt.Errorf("golden: reading a golden for the account: %w", err)
		}
		account.Committed[entry.Name()] = Sum(text)
	}
	return account, nil
}

// AccountName is the name of a scenario's account, beside its captures.
func AccountName(scenario string) string { return scenario + ".json" }

// Print encodes an account.
func (a Account) Print() ([]byte, error) {
	text, err := json.MarshalIndent(a, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("golden: encoding the account: %w", err)
	}
	return append(text, '\n'), nil
}

// ParseAccount decodes an account strictly. Its file names are names of goldens: no path leads out of a directory.
func ParseAccount(text []byte) (Account, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var account Account
	if err := decoder.Decode(&account); err != nil {
		return Account{}, fmt.Errorf("golden: the account of a run: %w", err)
	}
	if account.Format != AccountFormat {
		return Account{}, fmt.Errorf("golden: the account of a run has format %d, this keylane reads %d: run the scenario again", account.Format, AccountFormat)
	}
	for _, files := range []map[string]string{account.Committed, account.Captured} {
		for file := range files {
			if file != filepath.Base(file) || !IsGolden(file) {
				return Account{}, fmt.Errorf("golden: the account of a run names %q, which is no golden", file)
			}
		}
	}
	return account, nil
}
