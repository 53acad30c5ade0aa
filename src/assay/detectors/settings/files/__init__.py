"""Files that change what runs when tests are run: environment files, shadowing modules, tools, installed
packages.
"""
