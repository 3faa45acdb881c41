int ty_one(void);
