// Package selector turns biases and random words into choices. Each selector is a short serial definition; engines have
// faster forms that must give the same answers.
//
// A row's alias table is empty (length 0) where no edge of the row has a bias.
package selector
