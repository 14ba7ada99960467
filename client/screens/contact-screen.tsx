export function Screen() {
  return <h1 tabIndex={-1}>contact</h1>;
}

export function getMeta() {
  return { title: 'contact', description: 'contact' };
}
