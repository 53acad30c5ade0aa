// Package queue has a queue of numbers.
package queue

// Queue gives back what was put in first.
type Queue struct{ items []int }

// Put adds a number at the end.
func (q *Queue) Put(item int) { q.items = append(q.items, item) }

// Take removes the first number. It reports false if there is none.
func (q *Queue) Take() (int, bool) {
	if len(q.items) == 0 {
		return 0, false
	}
	item := q.items[0]
	q.items = q.items[1:]
	return item, true
}
