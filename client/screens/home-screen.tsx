export function Screen() {
  return <h1 tabIndex={-1}>home</h1>;
}

export function getMeta() {
  return { title: 'home', description: 'home' };
}
