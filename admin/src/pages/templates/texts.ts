import { loadPart } from '../../i18n/i18n.ts';

// Of templates, campaigns and flows, whose pages share fields.
await loadPart('messaging');
