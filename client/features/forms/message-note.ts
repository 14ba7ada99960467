import { tryStorage } from '../../app/storage.ts';

/** Session storage key of the note. */
export const MESSAGE_NOTE_KEY = 'message_note';

/** A sentence for the contact form's message, and the earlier sentence it replaces. */
interface MessageNote {
  readonly text: string;
  readonly replaced: string;
}

/** The last sentence this page stored. */
let lastText = '';

/** Stores a sentence for the contact form, replacing any earlier one. */
export function storeMessageNote(text: string): void {
  tryStorage(() => {
    sessionStorage.setItem(MESSAGE_NOTE_KEY, JSON.stringify({ text, replaced: lastText } satisfies MessageNote));
    lastText = text;
  });
}

/** Returns the stored sentence and removes it. */
export function takeMessageNote(): MessageNote | undefined {
  return tryStorage(() => {
    const stored = sessionStorage.getItem(MESSAGE_NOTE_KEY);
    sessionStorage.removeItem(MESSAGE_NOTE_KEY);

    return stored === null ? undefined : (JSON.parse(stored) as MessageNote);
  });
}

/** Returns the message with the sentence replacing its predecessor, or appended as a paragraph. */
export function addMessageNote(message: string, { text, replaced }: MessageNote): string {
  if (message.includes(text)) return message;
  if (replaced !== '' && message.includes(replaced)) return message.replace(replaced, () => text);

  return message.trim() === '' ? text : `${message.trimEnd()}\n\n${text}`;
}
