package session

// Checker says event by event whether events form a log, as Validate does for all of them. Of the history it keeps which messages it has and
// nothing of what they say, so that a log which is larger than the memory can be checked.
type Checker struct {
	surface *surface
	length  int64
}

// NewChecker begins with an empty log.
func NewChecker() *Checker { return &Checker{surface: newSurface()} }

// Add takes the next event, or says why it cannot be the next one and stays as it was.
func (c *Checker) Add(e Event) error {
	if err := checkEnvelope(e, c.length); err != nil {
		return err
	}
	made, err := c.surface.check(e)
	if err != nil {
		return err
	}
	if made != nil {
		if err := made.forget(); err != nil {
			return err
		}
	}
	c.surface.add(e, made)
	c.length++
	return nil
}
