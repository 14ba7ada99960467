/** The start of a text, of at most so many UTF-16 units; never half a character. */
export const cutText = (text: string, max: number): string => text.slice(0, max).replace(/[\uD800-\uDBFF]$/u, '');
