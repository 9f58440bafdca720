import { execFileSync } from 'node:child_process';
import { existsSync, rmSync, symlinkSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/**
 * npm runs this in a checkout after `npm ci`. It builds the admin app and the documentation, and makes the command for `npx tradeloom`.
 * It is JavaScript: without the development packages, which include Node, the machine's Node runs it, whatever its version.
 */
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COMMAND = fileURLToPath(new URL('../../node_modules/.bin/tradeloom', import.meta.url));

if (existsSync(new URL('../../node_modules/vite', import.meta.url))) {
  for (const script of ['admin/build.ts', 'docs/.vitepress/build.ts']) {
    execFileSync(process.execPath, [script], { cwd: ROOT, stdio: 'inherit' });
  }
  // Not `bin` in package.json: for the package's own commands npx runs `prepare` again, below a server that may be running.
  rmSync(COMMAND, { force: true });
  symlinkSync('../../src/main.ts', COMMAND);
} else {
  process.stdout.write(
    'Nothing was built, because the development packages were left out. A production install is the package that `npm run package` makes ' +
      'after a whole `npm ci`: see docs/guides/install.md.\n',
  );
}
