import categories from './de/categories.json';
import collections from './de/collections.json';
import inventory from './de/inventory.json';
import mediaPicker from './de/media-picker.json';

export default {
  ...categories,
  ...collections,
  ...inventory,
  ...mediaPicker,
};
