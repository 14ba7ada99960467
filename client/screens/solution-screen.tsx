export function Screen() {
  return <h1 tabIndex={-1}>solution</h1>;
}

export function getMeta() {
  return { title: 'solution', description: 'solution' };
}
