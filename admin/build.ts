import { existsSync } from 'node:fs';

/**
 * Builds the admin app into admin/dist: npm runs it after `npm ci`. Without the development packages, as in a
 * production install, it cannot build, and leaves the folder that was shipped.
 */
async function main(): Promise<void> {
  const vite = await import('vite').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ERR_MODULE_NOT_FOUND') return null;
    throw error;
  });
  if (vite !== null) {
    await vite.build({ configFile: new URL('./vite.config.ts', import.meta.url).pathname });
    return;
  }
  const built = existsSync(new URL('./dist/index.html', import.meta.url));
  process.stdout.write(
    built
      ? 'The admin app is not built again: vite is a development package. admin/dist stays as it is.\n'
      : 'The admin app is not built: vite is a development package, and there is no admin/dist. Copy it from a build.\n',
  );
  if (!built) process.exitCode = 1;
}

await main();
