export function Screen() {
  return <h1 tabIndex={-1}>about</h1>;
}

export function getMeta() {
  return { title: 'about', description: 'about' };
}
