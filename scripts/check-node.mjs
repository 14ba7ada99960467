// Plain JavaScript, loaded before an entry file: it runs on the machine's own Node where the
// project's has not been installed, as after `npm install`, which runs no package's script here.
if (!process.features.typescript) {
  console.error(
    `Node ${process.versions.node} can't run this project: run "npm run setup", which installs Node 24 into the project, and try again.`,
  );
  process.exit(1);
}
