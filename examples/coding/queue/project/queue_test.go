package queue

import "testing"

func TestFirstInFirstOut(t *testing.T) {
	q := &Queue{}
	q.Put(1)
	q.Put(2)
	if got, _ := q.Take(); got != 1 {
		t.Errorf("got %d, want 1", got)
	}
}

func TestEmpty(t *testing.T) {
	q := &Queue{}
	if _, ok := q.Take(); ok {
		t.Error("there was something in an empty queue")
	}
}
