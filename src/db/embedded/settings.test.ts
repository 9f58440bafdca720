import { describe, expect, it } from 'vitest';
import { serverArguments, sharedBuffers } from './settings.ts';

const GIB = 1024 ** 3;

describe('the settings of the embedded server', () => {
  it.each([
    [GIB / 2, '128MB'],
    [2 * GIB, '256MB'],
    [4 * GIB, '512MB'],
    [64 * GIB, '1024MB'],
  ])('with %i bytes of memory share %s of buffers', (memory, buffers) => {
    expect(sharedBuffers(memory)).toBe(buffers);
  });

  it("are overridden by the caller's", () => {
    expect(serverArguments('/data', '/run', { shared_buffers: '64MB' })).toContain('shared_buffers=64MB');
    expect(serverArguments('/data', '/run', {}).filter((word) => word.startsWith('shared_buffers='))).toHaveLength(1);
  });
});
