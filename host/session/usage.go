package session

// Context is how many tokens of the context window a request and its answer hold: what went in, however it was read, and what came out,
// without the reasoning, which no later request shows. 0 means that the provider did not say.
func (u Usage) Context() int {
	sent := u.InputTokens + number(u.CacheReadTokens) + number(u.CacheWriteTokens)
	if sent <= 0 {
		return 0
	}
	return sent + max(0, u.OutputTokens-number(u.ReasoningTokens))
}

func number(n *int) int {
	if n == nil {
		return 0
	}
	return max(0, *n)
}

// add sums up; what one of the two does not say counts as nothing.
func (u *Usage) add(more Usage) {
	u.InputTokens += more.InputTokens
	u.OutputTokens += more.OutputTokens
	for _, field := range []struct {
		into **int
		more *int
	}{{&u.CacheReadTokens, more.CacheReadTokens}, {&u.CacheWriteTokens, more.CacheWriteTokens}, {&u.ReasoningTokens, more.ReasoningTokens}} {
		if field.more != nil {
			sum := number(*field.into) + number(field.more)
			*field.into = &sum
		}
	}
}

func (u Usage) clone() Usage {
	var out Usage
	out.add(u)
	return out
}
