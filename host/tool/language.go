package tool

import (
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

// printer words schema violations. The model reads English, whatever the person reads.
var printer = message.NewPrinter(language.English)
