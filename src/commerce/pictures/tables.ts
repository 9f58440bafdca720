import { declareTables } from '../../db/table.ts';

export const commercePicturesTables = declareTables('commerce/pictures', {
  pictures: {
    description: 'A picture uploaded for products.',
    audit: { pictures: { noun: 'picture', about: 'nobody' } },
  },
  picture_contents: {
    description: 'The content of a picture stored in the database.',
  },
  product_pictures: {
    description: 'A picture shown by a product.',
  },
});
