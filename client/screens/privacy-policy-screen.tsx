export function Screen() {
  return <h1 tabIndex={-1}>privacy-policy</h1>;
}

export function getMeta() {
  return { title: 'privacy-policy', description: 'privacy-policy' };
}
