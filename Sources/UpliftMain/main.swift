internal import UpliftCommand

Program.main()
