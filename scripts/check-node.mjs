// Plain JavaScript, because it must run on older Node versions too.
if (!process.features.typescript) {
  console.error(
    `Node ${process.versions.node} can't run this project: run "npm run setup", which installs Node 24 into the project, and try again.`,
  );
  process.exit(1);
}
