import fc from 'fast-check';
import { SEED } from './seed.ts';

// Runs before each test file.
fc.configureGlobal({ seed: SEED });
