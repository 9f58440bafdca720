import { loadPart } from '../../i18n/i18n.ts';

await loadPart('rich-text');
