// Package aria is the text format of goldens: an accessibility tree as people read it.
//
//	# aria 1
//	- main:
//	  - heading "Sessions" [level=1]
//	  - button "Details" [expanded=false]
//	  - textbox "Message" [required]:
//	    - /value: hello
//	  - paragraph: One two three
//	  - list:
//	    - listitem: first
//	    - text: "between: the items"
//
// # The format
//
// The first line is the version. Every further line is an item of a YAML list, two spaces per depth:
//
//   - `role "name" [flag] [flag=value]` is a node. Roles are Chromium's own names, so what a golden shows is what a query can
//     ask for. The name is a JSON string, left out when empty. Flags come in the order of [FlagNames].
//   - `: text` after a node is its only child, a text. A bare colon means that properties or children follow one level deeper.
//   - `/value`, `/description` and `/name` (only for names too long for a YAML key) are properties, before the children.
//   - `text: words` is a text between other children.
//
// Everything is valid YAML 1.2 (and 1.1): keys that need it are in single quotes, texts that need it in double quotes with JSON's
// escapes. Whatever contains braces is always quoted, so that tokens such as {{clock}} never change the quoting around them.
//
// [Parse] accepts exactly what [Print] writes, so that a golden edited by hand can't differ in spelling only, and
// Parse(Print(t)) equals t for every valid tree.
//
// # How to use it
//
// [Build] makes a Tree from the nodes of Chromium's accessibility domain, below one element. [Tree.Map] rewrites every string, which is how
// normalisation works: on the tree, before printing, never on the printed text. Comparing and showing differences is package golden's job.
//
// What not to do: don't compare trees from different Chromium versions, and don't put focus or geometry into the format;
// they have assertions of their own.
package aria
