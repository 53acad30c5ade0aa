exports.clamp = (value, low, high) => Math.max(value, low);
