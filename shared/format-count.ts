/** Formats a count: `1 request`, `2 requests`. @param many for irregular plurals: `2 deliveries are` */
export const formatCount = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
