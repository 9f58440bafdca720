import categories from './en/categories.json';
import collections from './en/collections.json';
import inventory from './en/inventory.json';
import mediaPicker from './en/media-picker.json';

export default {
  ...categories,
  ...collections,
  ...inventory,
  ...mediaPicker,
};
