import { tryStorage } from '../../app/storage.ts';

/** Key of the sentence in the tab's storage. */
export const MESSAGE_NOTE_KEY = 'message_note';

/** A sentence for the contact form's message, with the one it replaces where that still stands. */
interface MessageNote {
  readonly text: string;
  readonly replaced: string;
}

/** The sentence that this document stored last. */
let lastText = '';

/** Stores a sentence for the message until the contact form takes it; a newer one replaces it. */
export function storeMessageNote(text: string): void {
  tryStorage(() => {
    sessionStorage.setItem(MESSAGE_NOTE_KEY, JSON.stringify({ text, replaced: lastText } satisfies MessageNote));
    lastText = text;
  });
}

/** The stored sentence, once. */
export function takeMessageNote(): MessageNote | undefined {
  return tryStorage(() => {
    const stored = sessionStorage.getItem(MESSAGE_NOTE_KEY);
    sessionStorage.removeItem(MESSAGE_NOTE_KEY);

    return stored === null ? undefined : (JSON.parse(stored) as MessageNote);
  });
}

/** The message with the sentence in a paragraph of its own after all that stands there, or in its predecessor's place. */
export function addMessageNote(message: string, { text, replaced }: MessageNote): string {
  if (message.includes(text)) return message;
  if (replaced !== '' && message.includes(replaced)) return message.replace(replaced, () => text);

  return message.trim() === '' ? text : `${message.trimEnd()}\n\n${text}`;
}
