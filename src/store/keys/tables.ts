import { declareTables } from '../../db/table.ts';

export const storeKeyTables = declareTables('store/keys', {
  store_keys: {
    description: 'A key of the store interface, which every visitor of the shop may see.',
    export: { omitted: 'Belongs to the installation, like API keys.' },
    audit: { 'store-keys': { noun: 'store_key', about: 'nobody' } },
  },
});
