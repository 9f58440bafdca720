import { loadPart } from '../../i18n/i18n.ts';

await Promise.all([loadPart('home'), loadPart('reports')]);
