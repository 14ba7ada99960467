import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMessageNote } from './message-note.ts';

test.each([
  ['an empty message', '', 'It costs $5.'],
  ['a message', 'We copy orders.\n', 'We copy orders.\n\nIt costs $5.'],
  ['a message that already contains the new sentence', 'It costs $5. Can you help?', 'It costs $5. Can you help?'],
  ['a message with the previous sentence', 'Hello. It costs $1. Bye.', 'Hello. It costs $5. Bye.'],
  ['a message whose sentence was edited', 'It costs us $1.', 'It costs us $1.\n\nIt costs $5.'],
])('%s ends up with exactly one copy of the new sentence', (_what, message, expected) => {
  expect(addMessageNote(message, { text: 'It costs $5.', replaced: 'It costs $1.' })).toBe(expected);
});

test('adding a note keeps the visitor’s text and is idempotent', () => {
  fc.assert(
    fc.property(fc.string(), fc.string({ minLength: 1 }), (message, text) => {
      const once = addMessageNote(message, { text, replaced: '' });

      expect(once).toContain(message.trimEnd());
      expect(once).toContain(text);
      expect(addMessageNote(once, { text, replaced: '' })).toBe(once);
    }),
  );
});
