package bash

import (
	"bytes"
	"os"
	"strconv"
)

// process is what proc(5) says of one process that is not a zombie.
type process struct {
	id, parent, group int
	name              string
	started           string // in clock ticks since boot: with the id it names a process for good
}

// same reports whether the process is still there, and not another one of the same id.
func (p process) same() bool {
	now, ok := inspect(p.id)
	return ok && now.started == p.started
}

// marked reports whether the process was started with the entry in its environment. Another person's process cannot be asked: no.
func (p process) marked(entry string) bool {
	environment, err := os.ReadFile("/proc/" + strconv.Itoa(p.id) + "/environ")
	if err != nil {
		return false
	}
	for _, have := range bytes.Split(environment, []byte{0}) {
		if string(have) == entry {
			return true
		}
	}
	return false
}

// processes lists all there are; an error means that there is no proc.
func processes() ([]process, error) {
	folder, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	names, err := folder.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	var all []process
	for _, name := range names {
		id, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if p, ok := inspect(id); ok {
			all = append(all, p)
		}
	}
	return all, nil
}

// inspect is false for a process that has ended, also for one that only waits to be reaped.
func inspect(id int) (process, bool) {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(id) + "/stat")
	if err != nil {
		return process{}, false
	}
	// pid (name) state ppid pgrp …, starttime is the 22nd; the name may hold anything, so what counts comes after the last parenthesis.
	begin, end := bytes.IndexByte(stat, '('), bytes.LastIndexByte(stat, ')')
	if begin < 0 || end < begin {
		return process{}, false
	}
	fields := bytes.Fields(stat[end+1:])
	if len(fields) < 20 || string(fields[0]) == "Z" || string(fields[0]) == "X" {
		return process{}, false
	}
	parent, parentErr := strconv.Atoi(string(fields[1]))
	group, groupErr := strconv.Atoi(string(fields[2]))
	if parentErr != nil || groupErr != nil {
		return process{}, false
	}
	return process{id, parent, group, string(stat[begin+1 : end]), string(fields[19])}, true
}
