// Package queue has a queue of numbers.
package queue

// Queue gives back what was put in first.
type Queue struct{ items []int }

// Put adds a number at the end.
func (q *Queue) Put(item int) { q.items = append(q.items, item) }

// Take removes the first number. It reports false if there is none.
func (q *Queue) Take() (int, bool) {
	last := len(q.items) - 1
	item := q.items[last]
	q.items = q.items[:last]
	return item, true
}
