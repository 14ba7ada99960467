// Plain JavaScript: it runs before an entry file on the machine's Node, where the project's isn't installed.
if (!process.features.typescript) {
  console.error(
    `Node ${process.versions.node} can't run this project: run "npm run setup", which installs Node 24 into the project, and try again.`,
  );
  process.exit(1);
}
