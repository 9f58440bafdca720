import { declareTables } from '../../db/table.ts';

export const commercePicturesTables = declareTables('commerce/pictures', {
  pictures: {
    description: 'A picture uploaded for products, or a picture, PDF file or link of the media library.',
    audit: { pictures: { noun: 'picture', about: 'nobody' }, media: { noun: 'media', about: 'nobody' } },
  },
  picture_contents: {
    description: 'A content of a picture or file stored in the database.',
  },
  product_pictures: {
    description: 'A picture shown by a product.',
  },
});
