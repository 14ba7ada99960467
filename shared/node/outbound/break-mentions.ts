/** A text in which no `@` mentions anybody: a space of no width ends each. */
export const breakMentions = (text: string): string => text.replaceAll('@', '@\u200b');
