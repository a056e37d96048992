/**
 * What a broker does at the turn of a signal `image-update`, as its emitter names it: an older broker that runs beside does not know it, and
 * leaves it to those that do.
 */
export const lookTask = "look-at-images";
