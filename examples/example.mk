# What the examples' Makefiles share: NAME is the kernel's file, FLAGS its options. `make run TRITCC=path/to/tritcc`.
ARCH = native
CFLAGS = -O2 -Wall -Wextra -Wno-unused-function -I..
LDLIBS = -lm

include ../rules.mk
$(NAME).o $(NAME).h: TRITCCFLAGS = -arch=$(ARCH) $(FLAGS)

run: $(NAME)
	./$(NAME)

$(NAME): main.o $(NAME).o
	$(CC) $(LDFLAGS) -o $@ main.o $(NAME).o $(LDLIBS)
main.o: $(NAME).h ../check.h

clean:
	rm -f $(NAME) main.o $(NAME).o $(NAME).h $(NAME).d

.PHONY: run clean
