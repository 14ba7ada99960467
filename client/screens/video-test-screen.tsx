export function Screen() {
  return <h1 tabIndex={-1}>video-test</h1>;
}

export function getMeta() {
  return { title: 'video-test', description: 'video-test' };
}
