/** `1 request`, `2 requests`; `many` where more than one is more than an `s`: `2 deliveries are`. */
export const formatCount = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;
